import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const server = 'http://localhost:4000'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: { outDir: '../dist/demo', emptyOutDir: true },
  server: {
    proxy: {
      '/graphql': { target: server, ws: true },
      '/dev': server,
      '/messages': server,
      '/media': server,
    },
  },
})
