// Serves a page as Vite has built it. Its files are listed once; all of them are read when one is first asked for, so that they belong
// together, and are then served from memory.

import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Handler } from '../transport/http/exchange.ts'
import type { Route, Routes } from '../transport/http/http.ts'
import { type Compressed, createCompressed, sendCompressed } from './compressed.ts'

type BuiltPage = {
  /** The first directory that has the page counts. */
  directories: readonly string[]
  /** Where the page is; its files are below. */
  path: '/' | '/admin'
  /** Writes into the page what is known only when it is served. */
  complete(html: string): string
}

/** A page is beside the compiled code; for code that runs from src, it is where `npm run build` puts it. */
export const builtDirectories = (name: string): string[] =>
  [`../${name}`, `../../dist/${name}`].map((path) => fileURLToPath(new URL(path, import.meta.url)))

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

const page = '/index.html'

/** Returns the routes of the page; none where it was not built. */
export async function findBuiltPage({ directories, path, complete }: BuiltPage): Promise<Routes> {
  for (const directory of directories) {
    const names = await filesIn(directory)
    if (!names.includes(page)) continue
    const load = once(() => readFiles(directory, names, complete))
    const below = path === '/' ? '' : path
    return Object.fromEntries(names.map((name) => [name === page ? path : below + name, routeOf(name, load)]))
  }
  return {}
}

async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile() && extname(entry.name) in contentTypes)
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length).replaceAll('\\', '/'))
}

type Files = ReadonlyMap<string, Compressed>

async function readFiles(directory: string, names: string[], complete: BuiltPage['complete']): Promise<Files> {
  const read = async (name: string): Promise<[string, Compressed]> => {
    const bytes = await readFile(join(directory, name))
    return [name, createCompressed(name === page ? complete(bytes.toString()) : bytes)]
  }
  return new Map(await Promise.all(names.map(read)))
}

function routeOf(name: string, load: () => Promise<Files>): Route {
  const headers = {
    'content-type': contentTypes[extname(name)],
    'content-security-policy': policy,
    // The names of assets change with what is in them.
    'cache-control': name.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
  }
  const serve: Handler = async ({ request, response }) => {
    const content = (await load()).get(name)
    if (content) sendCompressed(response, await content(request.headers['accept-encoding']), headers)
  }
  return { GET: serve }
}

/** What has failed is tried again by the next call. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make().catch((error) => {
      made = undefined
      throw error
    })
    return made
  }
}
