// Runs in a worker before the library, and does to the transactions of IndexedDB what a page orders over a channel.
{
  const channel = new BroadcastChannel('disturbances');
  const orders = [];
  channel.addEventListener('message', ({ data }) => orders.push(data));

  IDBDatabase.prototype.transaction = new Proxy(Reflect.get(IDBDatabase.prototype, 'transaction'), {
    apply(begin, database, given) {
      const transaction = Reflect.apply(begin, database, given);
      const [order] = orders;
      if (order && order.after > 0) order.after -= 1;
      else if (order) disturb(transaction, orders.shift());
      return transaction;
    },
  });

  function disturb(transaction, { kind, delay }) {
    channel.postMessage('played', []);
    if (kind === 'fails') abortAtFirstAnswer(transaction);
    else hold(transaction, delay);
  }
}

function abortAtFirstAnswer(transaction) {
  const fail = (event) => {
    event.stopImmediatePropagation();
    transaction.removeEventListener('success', fail, true);
    transaction.abort();
  };
  transaction.addEventListener('success', fail, true);
}

/** Its requests are answered only after so long, and it lasts as long: each answer to a request of its own makes another. */
function hold(transaction, delay) {
  const [name] = transaction.objectStoreNames;
  const end = performance.now() + delay;
  const held = [];
  const ask = () => transaction.objectStore(name).getKey(0);
  let own = ask();
  const answered = (event) => {
    if (event.target !== own) {
      event.stopImmediatePropagation();
      held.push(event.target);
    } else if (performance.now() < end) {
      own = ask();
    } else {
      transaction.removeEventListener('success', answered, true);
      for (const request of held) request.dispatchEvent(new Event('success'));
    }
  };
  transaction.addEventListener('success', answered, true);
}
