import { ViewerDocument } from '../generated/graphql.ts'
import type { Ask, Link } from './link.ts'

/** Where nothing can be pushed: whoever uses it asks again and again. */
export async function openPollingLink(ask: Ask): Promise<Link> {
  await ask(ViewerDocument, {})
  return { via: 'polling', ask, gone: new Promise(() => undefined), close: () => undefined }
}
