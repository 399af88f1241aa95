// Runs in a worker before the library: no database that it opens or deletes ever answers.
for (const name of ['open', 'deleteDatabase', 'databases']) {
  IDBFactory.prototype[name] = new Proxy(Reflect.get(IDBFactory.prototype, name), {
    apply(call, factory, [database]) {
      if (name === 'databases') return new Promise(() => {});
      const request = Reflect.apply(call, factory, [`silent ${database}`]);
      for (const type of ['success', 'error', 'blocked', 'upgradeneeded'])
        request.addEventListener(type, silence);
      return request;
    },
  });
}

function silence(event) {
  event.stopImmediatePropagation();
}
