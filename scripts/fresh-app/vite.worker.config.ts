import { defineConfig } from 'vite';

export default defineConfig({
  build: {
    emptyOutDir: false,
    rolldownOptions: {
      input: 'own-worker.ts',
      output: { format: 'es', codeSplitting: false, entryFileNames: 'own-worker.js' },
    },
  },
});
