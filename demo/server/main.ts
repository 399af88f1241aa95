import { parseArgs } from 'node:util';
import { startServer } from './server.ts';

// node main.js [--port 8080] [--host 127.0.0.1] [--data demo/.data] [--memory] [--static .cache/demo]
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8080' },
    host: { type: 'string', default: '127.0.0.1' },
    data: { type: 'string', default: 'demo/.data' },
    memory: { type: 'boolean', default: false },
    static: { type: 'string', default: '.cache/demo' },
  },
});

try {
  const server = await startServer({
    port: Number(values.port),
    host: values.host,
    database: values.memory ? 'memory' : { dataDir: values.data },
    staticDir: values.static,
  });
  console.log(server.url);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      void server.close().then(() => process.exit(0));
    });
  }
} catch (error) {
  const cause = error instanceof Error && error.cause instanceof Error ? ` ${error.cause.message}` : '';
  console.error(error instanceof Error ? `${error.message}${cause}` : error);
  process.exit(1);
}
