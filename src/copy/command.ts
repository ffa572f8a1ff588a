import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ConfigError } from '../config/config.ts'
import { type CopySettings, isTablePrefix, readCopySettings } from '../config/copy.ts'
import { ChatError } from '../protocol/errors.ts'
import { systemClock } from '../wiring/system-clock.ts'
import { copy } from './copy.ts'
import { openDynamoDbSource, openDynamoDbTarget } from './dynamodb.ts'
import { openEmbeddedSource, openEmbeddedTarget } from './embedded.ts'
import { openFileSource, openFileTarget } from './file.ts'
import { CopyError, type Progress, type Source, type Target } from './place.ts'

const usage = `parley copy --from <place> --to <place>

A place is one of
  embedded:<data directory>   the store of a node that runs without DynamoDB; \`embedded:.data\`
  dynamodb                    the tables of TABLE_PREFIX at DYNAMODB_ENDPOINT
  dynamodb:<table prefix>     the tables with this prefix there
  file:<path>                 a file of JSON lines: a backup`

const hint = 'Usage: parley copy --from <place> --to <place>; --help says more.'
const progressMs = 1000

const say = (text: string): void => console.error(text)

/** Runs `parley copy` with these arguments, and returns the exit code. */
export async function runCopy(args: readonly string[]): Promise<number> {
  try {
    const asked = argumentsOf(args)
    if (asked === 'help') console.log(usage)
    else console.log(await copyBetween(asked))
    return 0
  } catch (error) {
    say(explain(error))
    return 1
  }
}

type Place = { kind: 'embedded' | 'file' | 'dynamodb'; where: string }

function argumentsOf(args: readonly string[]): { from: string; to: string } | 'help' {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { from: { type: 'string' }, to: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    })
    if (values.help) return 'help'
    if (!values.from || !values.to) throw new CopyError(`${values.from ? '--to' : '--from'} is missing. ${hint}`)
    return { from: values.from, to: values.to }
  } catch (error) {
    if (error instanceof CopyError) throw error
    throw new CopyError(`${error instanceof Error ? error.message.split('. ')[0] : error}. ${hint}`)
  }
}

async function copyBetween(asked: { from: string; to: string }): Promise<string> {
  const settings = readCopySettings()
  const [from, to] = [placeOf(asked.from, settings), placeOf(asked.to, settings)]
  if (from.kind === to.kind && isSamePlace(from, to)) throw new CopyError('--from and --to are the same place.')
  const onProgress = showProgress()
  const source = await openSource(from, settings, onProgress)
  try {
    const target = await openTarget(to, settings)
    try {
      const { rows, written, isResumed } = await copy(source, target, onProgress)
      const skipped = isResumed ? `, of which ${rows - written} were there from an earlier run` : ''
      return (
        `Copied ${rows} rows from ${source.name} to ${target.name}${skipped}; the counts and hashes of all tables agree. ` +
        'The files of attachments are not rows: copy DATA_DIR/media yourself.'
      )
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

function placeOf(text: string, settings: CopySettings): Place {
  const [, kind, where] = /^(embedded|file|dynamodb)(?::(.*))?$/.exec(text) ?? []
  if (kind === 'dynamodb') {
    const prefix = where ?? settings.tables.prefix
    if (!isTablePrefix(prefix)) throw new CopyError(`${text} is no place: a prefix is 1 to 128 of A-Z a-z 0-9 _ . -`)
    return { kind, where: prefix }
  }
  if ((kind === 'embedded' || kind === 'file') && where) return { kind, where }
  throw new CopyError(
    `${text} is no place: it must be embedded:<data directory>, dynamodb, dynamodb:<table prefix> or file:<path>.`,
  )
}

const isSamePlace = (one: Place, other: Place): boolean =>
  one.kind === 'dynamodb' ? one.where === other.where : realPath(one.where) === realPath(other.where)

/** The same directory may be reached by a link. */
const realPath = (path: string): string => (existsSync(path) ? realpathSync(path) : resolve(path))

const dynamoDbOptions = (settings: CopySettings, tablePrefix: string) => ({
  settings,
  tablePrefix,
  clock: systemClock,
  random: Math.random,
  say,
})

function openSource({ kind, where }: Place, settings: CopySettings, onProgress: Progress): Promise<Source> {
  if (kind === 'embedded') return openEmbeddedSource(where, say)
  return kind === 'file' ? openFileSource(where, onProgress) : openDynamoDbSource(dynamoDbOptions(settings, where))
}

function openTarget({ kind, where }: Place, settings: CopySettings): Promise<Target> {
  if (kind === 'embedded') return openEmbeddedTarget(where)
  return kind === 'file' ? openFileTarget(where) : openDynamoDbTarget(dynamoDbOptions(settings, where))
}

/** Says once a second how far the copy has come. */
function showProgress(): Progress {
  let saidAtMs = systemClock.monotonic()
  return (step, table, rows) => {
    const now = systemClock.monotonic()
    if (now - saidAtMs < progressMs) return
    saidAtMs = now
    say(`${rows} rows ${step}, now ${table}`)
  }
}

/** Tells the operator in one line what went wrong, with what caused it. */
function explain(error: unknown): string {
  if (error instanceof CopyError || error instanceof ConfigError) return error.message
  const causes: string[] = []
  for (let each: unknown = error; each instanceof Error; each = each.cause) causes.push(each.message || each.name)
  if (error instanceof ChatError && error.code === 'UNAVAILABLE')
    return `DynamoDB does not answer: ${[...new Set(causes.slice(1))].join(': ')}. Run the same command again: it goes on.`
  return `The copy has failed: ${causes.join(': ') || String(error)}`
}
