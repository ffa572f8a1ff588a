// Writes docs/api-reference.md and docs/admin-reference.md from the schemas. A test fails while they differ.
import { writeFileSync } from 'node:fs'
import { adminSchema } from '../src/admin/schema/schema.ts'
import { schema } from '../src/schema/schema.ts'
import { adminReference, apiReference } from './api-reference.ts'

writeFileSync(new URL('../docs/api-reference.md', import.meta.url), apiReference(schema))
writeFileSync(new URL('../docs/admin-reference.md', import.meta.url), adminReference(adminSchema))
