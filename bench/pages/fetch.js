import { fetchJson, fetchSmall, offer } from './page.js';

let shown;

offer({
  start(url, interval, told) {
    const tick = async () => {
      shown = await fetchJson(url);
      told();
    };
    void tick();
    setInterval(tick, interval);
  },
  data: () => shown,
  call: fetchSmall,
});
