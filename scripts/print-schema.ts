// Writes schema.graphql from the code. A test fails while the two differ.
import { writeFileSync } from 'node:fs'
import { printedSchema } from '../src/schema/schema.ts'

writeFileSync(new URL('../schema.graphql', import.meta.url), printedSchema())
