// Writes the tables' templates in deploy/ from the code. A test fails while they differ.
import { writeFileSync } from 'node:fs'
import { cloudFormationTemplate, terraformConfiguration } from './table-templates.ts'

const write = (name: string, value: unknown) =>
  writeFileSync(new URL(`../deploy/${name}`, import.meta.url), `${JSON.stringify(value, null, 2)}\n`)

write('tables.cloudformation.json', cloudFormationTemplate())
write('tables.tf.json', terraformConfiguration())
