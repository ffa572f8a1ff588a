import { builder } from './builder.ts'

builder.enumType('ErrorCode', {
  description: 'The codes of `extensions.code`, for generated clients. No field has this type.',
  values: {
    UNAUTHENTICATED: { description: 'No token, or a bad or expired one.' },
    NOT_FOUND: { description: 'It does not exist, or is not the viewer’s to see.' },
    FORBIDDEN: { description: 'A member, but without the right.' },
    BAD_USER_INPUT: { description: 'A value breaks a rule; `extensions.field` names it.' },
    INVALID_CURSOR: { description: 'This cursor is not one of this list.' },
    SEQ_OUT_OF_RANGE: { description: 'Beyond the last seq, or below 1.' },
    IDEMPOTENCY_CONFLICT: { description: 'A known clientMessageId with other content.' },
    RATE_LIMITED: { description: 'Too much at once; `extensions.retryAfterMs` says how long to wait.' },
    QUERY_TOO_COMPLEX: { description: 'The operation asks for too much.' },
    UNAVAILABLE: { description: 'The service cannot answer right now; nothing was acknowledged.' },
    INTERNAL: { description: 'A fault of the server, logged with the id that the error carries.' },
    GRAPHQL_PARSE_FAILED: { description: 'The document has a syntax error.' },
    GRAPHQL_VALIDATION_FAILED: { description: 'The document does not fit the schema.' },
  } as const,
})
