import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { serviceWorker } from './vite-service-worker.ts'

const server = 'http://localhost:4000'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), serviceWorker('src/notifications/worker.ts', 'sw.js')],
  build: { outDir: '../dist/demo', emptyOutDir: true },
  server: {
    proxy: {
      '/graphql': { target: server, ws: true },
      // As objects: given a mere string, Vite would pass on a Host that is not the page's, which the server refuses.
      '/dev': { target: server },
      '/messages': { target: server },
      '/media': { target: server },
    },
  },
})
