// Says whether dist holds what the sources would build, so that `npm start` builds only when something changed.
//
//   node scripts/build-stamp.mjs begin    empties dist and notes what is about to be built
//   node scripts/build-stamp.mjs end      the build is complete
//   node scripts/build-stamp.mjs check    exits with 0 if dist is up to date
//
// dist/.building holds the hash of the sources while a build runs. At its end dist/.built has that hash and a hash of what dist holds. A
// build that was interrupted leaves no .built, sources that change while it runs do not have the hash that it began with, and of two builds
// at once the last one to end notes what both have made.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const sourceFolders = ['src', 'demo', 'console', 'packages']
const sourceFiles = /^(package(-lock)?|tsconfig.*)\.json$/
const notSources = new Set(['node_modules', 'dist'])
/** These files come from the parts of a build. A build that lacks one of them is not complete. */
const products = ['dist/server.js', 'dist/demo/index.html', 'dist/console/index.html']
const stamps = new Set(['dist/.built', 'dist/.building'])

/** Hashes contents and not times, which a switch of branches or a copy of the folder sets as it likes. */
function hashOf(root, paths) {
  const hash = createHash('sha256').update(process.version)
  for (const path of paths) {
    const content = readFileSync(join(root, path))
    hash.update(`\n${JSON.stringify(path)} ${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}

const hashSources = (root) => hashOf(root, sourcesIn(root))
const hashProducts = (root) =>
  hashOf(
    root,
    filesIn(root, 'dist')
      .filter((path) => !stamps.has(path))
      .sort(),
  )

export function beginBuild(root) {
  const hash = hashSources(root)
  // The stamp goes first, so that a removal that is cut short leaves none.
  rmSync(join(root, 'dist/.built'), { force: true })
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  mkdirSync(join(root, 'dist'))
  writeFileSync(join(root, 'dist/.building'), hash)
}

export function endBuild(root) {
  const hash = readFileSync(join(root, 'dist/.building'), 'utf8')
  writeFileSync(join(root, 'dist/.built'), `${hash} ${hashProducts(root)}`)
}

export function isUpToDate(root) {
  const stamp = join(root, 'dist/.built')
  const isWhole = existsSync(stamp) && products.every((path) => existsSync(join(root, path)))
  return isWhole && readFileSync(stamp, 'utf8') === `${hashSources(root)} ${hashProducts(root)}`
}

function sourcesIn(root) {
  const top = readdirSync(root).filter((name) => sourceFiles.test(name))
  return [...top, ...sourceFolders.flatMap((folder) => filesIn(root, folder))].sort()
}

function filesIn(root, folder) {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return notSources.has(entry.name) ? [] : filesIn(root, path)
    // Editors leave links that lead nowhere.
    return entry.isFile() ? [path] : []
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const [, , step] = process.argv
  if (step === 'begin') beginBuild(root)
  else if (step === 'end') endBuild(root)
  else process.exit(isUpToDate(root) ? 0 : 1)
}
