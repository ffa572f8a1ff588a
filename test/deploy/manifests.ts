import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect } from 'vitest'
import { parseAllDocuments } from 'yaml'

/** One object of a cluster, as far as our tests look into it. */
export type Manifest = { apiVersion: string; kind: string; metadata: { name: string; labels?: Labels } }
export type Labels = Record<string, string>

const folder = new URL('../../deploy/kubernetes/', import.meta.url)

export const manifests = readdirSync(folder).flatMap((file) =>
  parseAllDocuments(readFileSync(new URL(file, folder), 'utf8')).map((document) => {
    if (document.errors.length > 0) throw document.errors[0]
    return document.toJS() as Manifest
  }),
)

/** The package that has the schemas of a kind, which are generated from those of Kubernetes and of the Prometheus operator. */
const moduleOf = ({ apiVersion, kind }: Manifest): string =>
  `${apiVersion.startsWith('monitoring.coreos.com/') ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models'}/${apiVersion}/${kind}`

/** Throws if a value is not what the schema says. */
export async function validate(manifest: Manifest): Promise<void> {
  const { [manifest.kind]: Model } = (await import(moduleOf(manifest))) as Record<
    string,
    new (
      value: object,
    ) => { validate(): void }
  >
  if (!Model) throw new Error(`There is no schema of ${manifest.apiVersion} ${manifest.kind}.`)
  new Model(manifest).validate()
}

/**
 * The schemas let fields pass that they do not know, which a cluster refuses. The types that belong to them do not. Returns what is wrong with each
 * of the manifests.
 */
export function complaintsOfTypes(manifests: readonly Manifest[]): string[][] {
  const sources = new Map(
    manifests.map((manifest, at) => [fileURLToPath(new URL(`manifest-${at}.ts`, import.meta.url)), sourceOf(manifest)]),
  )
  const host = ts.createCompilerHost(options)
  const { getSourceFile } = host
  host.getSourceFile = (path, ...rest) => {
    const source = sources.get(path)
    return source === undefined ? getSourceFile(path, ...rest) : ts.createSourceFile(path, source, target)
  }
  const program = ts.createProgram([...sources.keys()], options, host)
  expect(program.getGlobalDiagnostics()).toEqual([])
  return [...sources.keys()].map((path) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(path))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
  )
}

const target = ts.ScriptTarget.ES2022
const options: ts.CompilerOptions = {
  target,
  lib: ['lib.es2022.d.ts'],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  types: [],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
}

const sourceOf = (manifest: Manifest): string =>
  `import type { I${manifest.kind} as It } from '${moduleOf(manifest)}'\nexport default ${JSON.stringify(manifest)} satisfies It\n`
