import type { Plugin } from 'vite'

const document = /graphql`\s*(?:query|mutation|subscription|fragment) (\w+)[^`]*`/g

/** Does what Relay's plugins for Babel, SWC and Vite do for an app: puts the compiled document in the place of its text. */
export const relayDocuments: Plugin = {
  name: 'relay-documents',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('/relay-chat.ts')) return undefined
    const names = [...code.matchAll(document)].map(([, name]) => name)
    const imports = names.map((name) => `import document_${name} from './generated/${name}.graphql.ts';`)
    return `${imports.join('')}${code.replace(document, 'document_$1')}`
  },
}
