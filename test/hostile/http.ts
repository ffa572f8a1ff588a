/** Each case is a request as it is sent, and the answer: a status, and the code in the shape of the endpoint. */
export type HttpRow = [what: string, request: Sent, status: number, code: string, field?: string]
export type Sent = { path?: string; method?: string; headers?: Record<string, string>; body?: string | Uint8Array }

const json = { 'content-type': 'application/json' }
const get = (search: string): Sent => ({ method: 'GET', path: `/graphql?${search}` })
const post = (body: string | Uint8Array, headers: Record<string, string> = json): Sent => ({ body, headers })
const viewer = JSON.stringify({ query: '{ viewer { id } }' })
const bad = 'BAD_USER_INPUT'

export const graphqlRequests: HttpRow[] = [
  ['nothing', post(''), 400, bad],
  ['no JSON', post('{ viewer { id } }'), 400, bad],
  ['half of it', post(viewer.slice(0, -2)), 400, bad],
  ['something after it', post(`${viewer}}`), 400, bad],
  ['a comment in it', post(`/* */${viewer}`), 400, bad],
  ['no UTF-8', post(Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d])), 400, bad],
  ['UTF-16', post(Buffer.from(viewer, 'utf16le')), 400, bad],
  ['null', post('null'), 400, bad],
  ['a number', post('7'), 400, bad],
  ['a string', post('"{ viewer { id } }"'), 400, bad],
  ['a batch', post(`[${viewer},${viewer}]`), 400, bad],
  ['an empty batch', post('[]'), 400, bad],
  ['an empty object', post('{}'), 400, bad],
  ['a query that is null', post('{"query":null}'), 400, bad],
  ['a query that is a number', post('{"query":7}'), 400, bad],
  ['a query that is an object', post('{"query":{}}'), 400, bad],
  ['a query that is a list', post('{"query":["{ viewer { id } }"]}'), 400, bad],
  ['an empty query', post('{"query":""}'), 400, 'GRAPHQL_PARSE_FAILED'],
  ['variables that are text', post('{"query":"{ viewer { id } }","variables":"x"}'), 400, bad],
  ['variables that are a list', post('{"query":"{ viewer { id } }","variables":[]}'), 400, bad],
  ['an operationName that is an object', post('{"query":"{ viewer { id } }","operationName":{}}'), 400, bad],
  ['extensions that are text', post('{"query":"{ viewer { id } }","extensions":"x"}'), 400, bad],
  ['more than there is', post('{"query":"{ viewer { id } }","admin":true}'), 400, bad],
  [
    'variables 30,000 deep',
    post(`{"query":"{ viewer { id } }","variables":{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}}`),
    400,
    bad,
    'variables',
  ],
  ['lists that stay open', post('['.repeat(100_000)), 400, bad],
  ['128 KB and a byte', post(' '.repeat(128 * 1024 + 1)), 413, bad],
  ['a megabyte', post(' '.repeat(2 ** 20)), 413, bad],
  ['text', post(viewer, { 'content-type': 'text/plain' }), 415, bad],
  ['a form', post('query={viewer{id}}', { 'content-type': 'application/x-www-form-urlencoded' }), 415, bad],
  ['a form in parts', post('--x--', { 'content-type': 'multipart/form-data; boundary=x' }), 415, bad],
  ['a document as such', post('{ viewer { id } }', { 'content-type': 'application/graphql' }), 415, bad],
  ['a type that is none', post(viewer, { 'content-type': 'json' }), 415, bad],
  ['an answer as a picture', post(viewer, { ...json, accept: 'image/png' }), 406, bad],
  ['GET without a query', get(''), 400, bad],
  ['GET with an empty query', get('query='), 400, bad],
  ['GET with bad escapes', get('query=%E0%A4%A'), 400, 'GRAPHQL_PARSE_FAILED'],
  ['GET with variables that are no JSON', get('query={viewer{id}}&variables={'), 400, bad],
  ['GET with variables that are a list', get('query={viewer{id}}&variables=[]'), 400, bad],
  ['GET with extensions that are no JSON', get('query={viewer{id}}&extensions={'), 400, bad],
  ['a mutation by GET', get('query=mutation{ack(input:{conversationId:"x",seq:1}){ticks{userId}}}'), 405, bad],
  ['PUT', { method: 'PUT', body: viewer, headers: json }, 405, bad],
  ['DELETE', { method: 'DELETE' }, 405, bad],
  ['PATCH', { method: 'PATCH', body: viewer, headers: json }, 405, bad],
]

export const elsewhere: HttpRow[] = [
  ['a path that does not exist', { method: 'GET', path: '/admin' }, 404, 'NOT_FOUND'],
  ['a slash too many', { method: 'GET', path: '/graphql/' }, 404, 'NOT_FOUND'],
  ['capitals', { method: 'GET', path: '/GRAPHQL' }, 404, 'NOT_FOUND'],
  ['a prototype', { method: 'GET', path: '/__proto__' }, 404, 'NOT_FOUND'],
  ['what every object has', { method: 'GET', path: '/constructor' }, 404, 'NOT_FOUND'],
  ['a NUL', { method: 'GET', path: '/%00' }, 404, 'NOT_FOUND'],
  ['a file', { method: 'GET', path: '/%2e%2e/%2e%2e/etc/passwd' }, 404, 'NOT_FOUND'],
  ['a file that is not signed for', { method: 'GET', path: '/media?id=../../etc/passwd' }, 403, 'FORBIDDEN'],
  ['metrics by POST', { method: 'POST', path: '/metrics' }, 405, bad],
  ['health by DELETE', { method: 'DELETE', path: '/healthz' }, 405, bad],
  [
    'tokens outside of development',
    { path: '/dev/token', body: '{"userId":"alice"}', headers: json },
    404,
    'NOT_FOUND',
  ],
]

const rest = (input: unknown, headers: Record<string, string> = json): Sent => ({
  path: '/messages',
  body: typeof input === 'string' ? input : JSON.stringify(input),
  headers,
})
const message = { clientMessageId: 'a', to: { userId: 'bob' }, body: 'hi' }

export const restRequests: HttpRow[] = [
  ['nothing', rest(''), 400, bad],
  ['no JSON', rest('{'), 400, bad],
  ['null', rest('null'), 400, bad],
  ['a list', rest([message]), 400, bad],
  ['text', rest('"hi"'), 400, bad],
  ['no recipient', rest({ ...message, to: undefined }), 400, bad, 'to'],
  ['two recipients', rest({ ...message, to: { userId: 'bob', conversationId: 'dm_x' } }), 400, bad, 'to'],
  [
    'a second recipient that is null',
    rest({ ...message, to: { userId: null, conversationId: 'dm_x' } }),
    400,
    bad,
    'to',
  ],
  ['a recipient that is text', rest({ ...message, to: 'bob' }), 400, bad, 'to'],
  ['a recipient that is a list', rest({ ...message, to: ['bob'] }), 400, bad, 'to'],
  ['a recipient that is a number', rest({ ...message, to: { userId: 7 } }), 400, bad, 'to'],
  ['no body', rest({ ...message, body: undefined }), 400, bad, 'body'],
  ['a body that is an object', rest({ ...message, body: { text: 'hi' } }), 400, bad, 'body'],
  ['a body that is a number', rest({ ...message, body: 7 }), 400, bad, 'body'],
  ['no clientMessageId', rest({ ...message, clientMessageId: undefined }), 400, bad, 'clientMessageId'],
  ['a clientMessageId that is a number', rest({ ...message, clientMessageId: 7 }), 400, bad, 'clientMessageId'],
  ['attachments that are text', rest({ ...message, attachmentIds: 'x' }), 400, bad, 'attachmentIds'],
  ['the same attachment twice', rest({ ...message, attachmentIds: ['x', 'x'] }), 400, bad, 'attachmentIds'],
  ['lists 30,000 deep', rest(`{"to":${'['.repeat(30_000)}${']'.repeat(30_000)}}`), 400, bad, 'to'],
  ['a megabyte', rest(' '.repeat(2 ** 20)), 413, bad],
  ['a message as text', rest(message, { 'content-type': 'text/plain' }), 415, bad],
  ['a message as a form', rest(message, { 'content-type': 'application/x-www-form-urlencoded' }), 415, bad],
  ['a message as a form in parts', rest(message, { 'content-type': 'multipart/form-data; boundary=x' }), 415, bad],
  ['a message of a type that only begins well', rest(message, { 'content-type': 'application/jsonp' }), 415, bad],
  ['GET', { method: 'GET', path: '/messages' }, 405, bad],
]
