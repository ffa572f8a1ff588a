import { plugin as typedDocuments } from '@graphql-codegen/typed-document-node'
import { stripIgnoredCharacters } from 'graphql'

/**
 * What typed-document-node writes, without white space in the documents: browsers load them, and send them with each operation. The
 * class of the documents declares its fields for the types alone, so that bundles do not hold them.
 */
export async function plugin(...args) {
  const { content, ...rest } = await typedDocuments(...args)
  return {
    ...rest,
    content: content
      .replace(/`[^`]*`/g, (text) => `\`${stripIgnoredCharacters(text.slice(1, -1))}\``)
      .replace(/^ {2}(__apiType\?:|private value:|public __meta__\?:)/gm, '  declare $1'),
  }
}
