// Prints the package.json of an image with these optional parts: `node scripts/image-manifest.mjs "aws tracing"`. The server must be built.
import { readFileSync } from 'node:fs'
import { optionalParts } from '../dist/config/optional-parts.js'

const wanted = process.argv.slice(2).flatMap((argument) => argument.split(/[\s,]+/).filter(Boolean))
const unknown = wanted.filter((part) => !Object.hasOwn(optionalParts, part))
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}: PARTS takes ${Object.keys(optionalParts).join(', ')}.`)
  process.exit(1)
}

// A node loads nothing of the client, the only workspace, whose folder is not there.
const { workspaces, ...manifest } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const dependencies = { ...manifest.dependencies }
const devDependencies = { ...manifest.devDependencies }
for (const name of wanted.flatMap((part) => optionalParts[part])) {
  dependencies[name] = manifest.peerDependencies[name]
  delete devDependencies[name]
}
console.log(JSON.stringify({ ...manifest, dependencies, devDependencies }, null, 2))
