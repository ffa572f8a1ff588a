import { createHash } from 'node:crypto'
import { type Compressed, createCompressed } from './compressed.ts'

/** `url` changes with the content, so that browsers may keep it for ever. */
export type Asset = { url: string; content: Compressed }

/** GraphiQL without its options: what never changes, and the page around it. */
export type GraphiQLParts = {
  script: Asset
  style: Asset
  pageWith(head: string, options: string): string
}

export const scriptPath = '/graphiql.js'
export const stylePath = '/graphiql.css'

/**
 * render-graphiql writes nine megabytes of script and style into its page. Here they are taken out, so that a browser loads them once
 * and the page itself is small. Relies on how render-graphiql 5.24.1 writes its page; test/transport/http/graphiql-page.test.ts holds that.
 */
export async function loadGraphiQLParts(title: string, favicon: string): Promise<GraphiQLParts> {
  // This package has nine megabytes, and only nodes that serve the page need it.
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  const options = { title, favicon }
  const page = renderGraphiQL(options).trimStart()
  const [beforeStyle, css, afterStyle] = cut(page, '<style>', '</style>')
  const [beforeScript, code, afterScript] = cut(afterStyle, '<script>', '</script>')
  const call = code.lastIndexOf('YogaGraphiQL.renderYogaGraphiQL(')
  const [beforeOptions, , afterOptions] = cut(code.slice(call), JSON.stringify(options), '')
  const script = assetOf(scriptPath, code.slice(0, call))
  const style = assetOf(stylePath, css)
  const [beforeHeadEnd, , afterHeadEnd] = cut(beforeScript, '</head>', '')
  return {
    script,
    style,
    pageWith: (head, written) =>
      `${beforeStyle}<link rel="stylesheet" href="${style.url}">${beforeHeadEnd}${head}</head>${afterHeadEnd}` +
      `<script src="${script.url}"></script><script>${beforeOptions}${written}${afterOptions}</script>${afterScript}`,
  }
}

function assetOf(path: string, text: string): Asset {
  const version = createHash('sha256').update(text).digest('base64url').slice(0, 16)
  return { url: `${path}?v=${version}`, content: createCompressed(text) }
}

/** What stands before, between and after the two. */
function cut(text: string, begin: string, end: string): [before: string, between: string, after: string] {
  const from = text.indexOf(begin)
  const to = text.indexOf(end, from + begin.length)
  if (from < 0 || to < 0) throw new Error(`render-graphiql's page has no ${begin}${end}: see graphiql-parts.ts.`)
  return [text.slice(0, from), text.slice(from + begin.length, to), text.slice(to + end.length)]
}
