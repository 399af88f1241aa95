/** A browser as the server sees it: it keeps the cookie that it is given. */
export class Visitor {
  readonly #url: string;
  cookie = '';

  constructor(url: string) {
    this.#url = url;
  }

  /** Somebody who has just signed in. */
  static async signedIn(url: string, user: string): Promise<Visitor> {
    const visitor = new Visitor(url);
    const answer = await visitor.write('POST', '/api/session', { user });
    if (!answer.ok) throw new Error(`${user} cannot sign in: status ${answer.status}.`);
    return visitor;
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.send(path, { headers });
  }

  write(
    method: string,
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    return this.send(path, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  }

  async send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.cookie !== '') headers.set('Cookie', this.cookie);
    const answer = await fetch(this.#url + path, { ...init, headers });
    const given = answer.headers.get('Set-Cookie');
    if (given !== null) this.cookie = given.split(';')[0] ?? '';
    return answer;
  }
}
