// Reads the demo page once, as Vite has built it, and serves it from memory. Only development mode serves it.

import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Handler } from '../transport/http/exchange.ts'
import type { Route, Routes } from '../transport/http/http.ts'
import { warningOnPage } from './warning.ts'

/** The page is beside the compiled code; for code that runs from src, it is where `npm run build` puts it. */
const builtDirectories = ['../demo', '../../dist/demo'].map((path) => fileURLToPath(new URL(path, import.meta.url)))

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

/** Everything comes from this server. Virtual lists set inline styles. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** Returns the routes of the page, `/` among them; none where it was not built. */
export async function readDemo(directories: readonly string[] = builtDirectories, warning?: string): Promise<Routes> {
  for (const directory of directories) {
    const names = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
    const files = names.filter((entry) => entry.isFile() && extname(entry.name) in contentTypes)
    const routes = await Promise.all(files.map((file) => routeOf(directory, join(file.parentPath, file.name), warning)))
    if (routes.some(([path]) => path === '/')) return Object.fromEntries(routes)
  }
  return {}
}

async function routeOf(
  directory: string,
  file: string,
  warning: string | undefined,
): Promise<[path: string, route: Route]> {
  const path = file.slice(directory.length).replaceAll('\\', '/')
  const read = await readFile(file)
  const isPage = path === '/index.html'
  const bytes = isPage ? Buffer.from(read.toString().replace('<body>', `<body>${warningOnPage(warning)}`)) : read
  const headers = {
    'content-type': contentTypes[extname(file)],
    'content-security-policy': policy,
    // The names of assets change with what is in them.
    'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
  }
  const zipped = await promisify(gzip)(bytes)
  const serve: Handler = ({ request, response }) => {
    const zips = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
    const body = zips ? zipped : bytes
    const encoding = zips ? { 'content-encoding': 'gzip' } : {}
    response.writeHead(200, { ...headers, ...encoding, 'content-length': body.length }).end(body)
  }
  return [isPage ? '/' : path, { GET: serve }]
}
