import { existsSync, readFileSync } from 'node:fs'
import { isInputObjectType, isIntrospectionType, isSpecifiedScalarType, Kind, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { adminSchema, printedAdminSchema } from '../../src/admin/schema/schema.ts'
import { promisesOf, typeAt, undescribed } from '../kit/schema-promises.ts'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const contract = read('./contract/admin.graphql')
const definitions = parse(contract).definitions
const own = Object.values(adminSchema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
)

describe('the schema of the admin API', () => {
  it('is committed as it is: npm run schema prints it anew', () => {
    expect(read('../../admin-schema.graphql')).toBe(printedAdminSchema())
  })

  it('is held against the contract as it stands', () => {
    const source = new URL('../../../shared/admin.graphql', import.meta.url)
    expect(existsSync(source) ? readFileSync(source, 'utf8') : contract).toBe(contract)
  })

  it.each(definitions.flatMap(promisesOf))('keeps %s: %s', (name, type) => {
    expect(`${name}: ${typeAt(adminSchema, name)}`).toBe(`${name}: ${type}`)
  })

  it('has the inputs of which exactly one field is given', () => {
    const promised = definitions.flatMap((each) =>
      each.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION && each.directives?.length ? [each.name.value] : [],
    )
    expect(own.filter((type) => isInputObjectType(type) && type.isOneOf).map(({ name }) => name)).toEqual(promised)
  })

  it.each(own.map((type) => [type.name, type] as const))('describes all of %s', (_name, type) => {
    expect(undescribed(type)).toEqual([])
  })
})
