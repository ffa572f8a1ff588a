// Runs scripts of package.json at the same time: `node scripts/side-by-side.mjs lint types`. Prints what each has said when it ends, and exits with
// 1 if one of them failed.
import { spawn } from 'node:child_process'

function run(name) {
  return new Promise((resolve) => {
    const child = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'] })
    const said = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk))
    child.on('close', (code) => {
      console.log(`${name}: ${code === 0 ? 'passed' : 'failed'}`)
      process.stdout.write(Buffer.concat(said))
      resolve(code === 0)
    })
  })
}

const passed = await Promise.all(process.argv.slice(2).map(run))
if (passed.includes(false)) process.exitCode = 1
