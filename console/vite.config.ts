import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const server = 'http://localhost:4000'

export default defineConfig({
  root: import.meta.dirname,
  base: '/admin/',
  plugins: [react()],
  build: { outDir: '../dist/console', emptyOutDir: true },
  server: {
    // These are objects: for a string, Vite would send a Host that is not the page's, which the server refuses.
    proxy: { '/admin/graphql': { target: server, ws: true }, '/dev': { target: server } },
  },
})
