// Writes the client's documents by their hashes, for PERSISTED_OPERATIONS. A test fails while the file differs.
import { writeFileSync } from 'node:fs'
import { persistedOperations } from './persisted-operations.ts'

writeFileSync(new URL('../packages/client/src/generated/persisted.json', import.meta.url), persistedOperations())
