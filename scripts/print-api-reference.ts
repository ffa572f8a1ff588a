// Writes docs/api-reference.md from the schema. A test fails while the two differ.
import { writeFileSync } from 'node:fs'
import { schema } from '../src/schema/schema.ts'
import { apiReference } from './api-reference.ts'

writeFileSync(new URL('../docs/api-reference.md', import.meta.url), apiReference(schema))
