import { expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { problemsOf, production, secret } from './environments.ts'

test('GRAPHQL_EXECUTOR is compiled or reference', () => {
  expect(readConfig({ GRAPHQL_EXECUTOR: 'reference' }).graphqlExecutor).toBe('reference')
  expect(problemsOf({ GRAPHQL_EXECUTOR: 'yoga' })).toEqual(['GRAPHQL_EXECUTOR must be compiled or reference'])
})

test('WEBSOCKET_PROTOCOL is lean or graphql-ws', () => {
  expect(readConfig({ WEBSOCKET_PROTOCOL: 'graphql-ws' }).websocketProtocol).toBe('graphql-ws')
  expect(problemsOf({ WEBSOCKET_PROTOCOL: 'ws' })).toEqual(['WEBSOCKET_PROTOCOL must be lean or graphql-ws'])
})

test('GRAPHIQL is on in development mode, off otherwise, and as said where it is said', () => {
  expect(readConfig({ AUTH_JWT_SECRET: secret }).graphiql).toBe(false)
  expect(readConfig(production).graphiql).toBe(false)
  expect(readConfig({ ...production, GRAPHIQL: 'true' }).graphiql).toBe(true)
  expect(readConfig({ GRAPHIQL: 'off' }).graphiql).toBe(false)
  expect(problemsOf({ GRAPHIQL: 'maybe' })).toEqual(['GRAPHIQL must be true or false'])
})

test('ADMIN_CONSOLE is on in development mode, off otherwise, and as said where it is said', () => {
  expect(readConfig({ AUTH_JWT_SECRET: secret }).adminConsole).toBe(false)
  expect(readConfig({ ...production, ADMIN_CONSOLE: 'on' }).adminConsole).toBe(true)
  expect(readConfig({ ADMIN_CONSOLE: 'false' }).adminConsole).toBe(false)
  expect(problemsOf({ ADMIN_CONSOLE: 'maybe' })).toEqual(['ADMIN_CONSOLE must be true or false'])
})

test.each([
  [{}, true],
  [{ GRAPHIQL: 'false' }, true],
  [{ INTROSPECTION: 'false' }, false],
  [production, false],
  [{ AUTH_JWT_SECRET: secret }, false],
  [{ ...production, GRAPHIQL: 'true' }, true],
  [{ ...production, GRAPHIQL: 'true', INTROSPECTION: 'false' }, false],
  [{ ...production, INTROSPECTION: 'true' }, true],
])(
  'INTROSPECTION is off outside development mode, unless it or the explorer is asked for: row %#',
  (environment, expected) => {
    expect(readConfig(environment).introspection).toBe(expected)
  },
)

test('PERSISTED_OPERATIONS is a file, and PERSISTED_OPERATIONS_ONLY needs it', () => {
  const path = 'packages/client/src/generated/persisted.json'
  expect(readConfig({ PERSISTED_OPERATIONS: path }).persistedOperations).toMatchObject({ only: false })
  expect(problemsOf({ PERSISTED_OPERATIONS: 'nowhere.json', PERSISTED_OPERATIONS_ONLY: 'perhaps' })).toEqual([
    'PERSISTED_OPERATIONS must be the path of a JSON file of documents by their ids',
    'PERSISTED_OPERATIONS_ONLY must be true or false',
  ])
  expect(problemsOf({ PERSISTED_OPERATIONS_ONLY: 'true' })).toEqual([
    'PERSISTED_OPERATIONS is missing: PERSISTED_OPERATIONS_ONLY is about the documents it names',
  ])
})
