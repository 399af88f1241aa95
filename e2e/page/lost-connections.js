// Runs in a worker before the library: closes all its connections to databases, without a word, when a page says so.
{
  const open = new Set();
  IDBFactory.prototype.open = new Proxy(Reflect.get(IDBFactory.prototype, 'open'), {
    apply(begin, factory, given) {
      const request = Reflect.apply(begin, factory, given);
      request.addEventListener('success', () => open.add(request.result));
      return request;
    },
  });
  const channel = new BroadcastChannel('lost connections');
  channel.addEventListener('message', () => {
    for (const database of open) database.close();
    open.clear();
    channel.postMessage('lost', []);
  });
}
