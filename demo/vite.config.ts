import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'
import { serviceWorker } from './vite-service-worker.ts'

const server = 'http://localhost:4000'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), serviceWorker('src/notifications/worker.ts', 'sw.js')],
  // The page is built from the sources of @parley/client, so that a change there shows at once.
  resolve: { conditions: ['parley-source', ...defaultClientConditions] },
  build: { outDir: '../dist/demo', emptyOutDir: true },
  server: {
    proxy: {
      '/graphql': { target: server, ws: true },
      // These are objects: for a string, Vite would send a Host that is not the page's, which the server refuses.
      '/dev': { target: server },
      '/messages': { target: server },
      '/media': { target: server },
    },
  },
})
