# A template: bench/shared-cache/caches.mjs fills in ${ORIGIN}.

vcl 4.1;

backend origin {
  .host = "127.0.0.1";
  .port = "${ORIGIN}";
  # Longer than a hold.
  .first_byte_timeout = 40s;
}

sub vcl_recv {
  if (req.url ~ "^/changes\?") {
    # With a cookie, Varnish would pass every request on by itself.
    unset req.http.Cookie;
  }
}

sub vcl_backend_response {
  # One error for all who wait. Left to itself, Varnish would remember for two minutes that this URL cannot be stored,
  # and pass every request for it on.
  if (beresp.status >= 500) {
    set beresp.ttl = 1s;
    set beresp.grace = 0s;
    return (deliver);
  }
}

sub vcl_backend_error {
  # The same, for an origin that does not answer.
  set beresp.ttl = 1s;
  set beresp.grace = 0s;
}
