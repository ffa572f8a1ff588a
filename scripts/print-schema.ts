// Writes schema.graphql and admin-schema.graphql from the code. A test fails while they differ.
import { writeFileSync } from 'node:fs'
import { printedAdminSchema } from '../src/admin/schema/schema.ts'
import { printedSchema } from '../src/schema/schema.ts'

writeFileSync(new URL('../schema.graphql', import.meta.url), printedSchema())
writeFileSync(new URL('../admin-schema.graphql', import.meta.url), printedAdminSchema())
