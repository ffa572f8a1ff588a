import { existsSync, readFileSync } from 'node:fs'
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  isSpecifiedScalarType,
  parse,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { errorTable } from '../../src/protocol/errors.ts'
import { printedSchema, schema } from '../../src/schema/schema.ts'
import { promisesOf, typeAt, undescribed } from '../kit/schema-promises.ts'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const contractText = read('./contract/schema.graphql')
const [core = ''] = contractText.split(/^# -+ part 2.*$/m)
const contract = buildSchema(core)

const own = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
)
const promised = Object.values(contract.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
)

describe('the schema', () => {
  it('is committed as it is: npm run schema prints it anew', () => {
    expect(read('../../schema.graphql')).toBe(printedSchema())
  })

  it('is held against the contract as it stands', () => {
    const source = new URL('../../../shared/schema.graphql', import.meta.url)
    expect(existsSync(source) ? readFileSync(source, 'utf8') : contractText).toBe(contractText)
  })

  it.each(promised.map((type) => [type.name, type] as const))('keeps the contract about %s', (name, type) => {
    expect(contradictions(type, schema.getType(name))).toEqual([])
  })

  it('names the codes of errors for generated clients, those of the table and no others', () => {
    const type = schema.getType('ErrorCode')
    expect(isEnumType(type) && type.getValues().map(({ name }) => name)).toEqual(Object.keys(errorTable).sort())
  })

  it.each(own.map((type) => [type.name, type] as const))('describes all of %s', (_name, type) => {
    expect(undescribed(type)).toEqual([])
  })
})

describe('part 3 of the contract', () => {
  const part3 = read('./contract/schema-part3.graphql')
  const named = parse(part3).definitions.flatMap(promisesOf)

  it('is held against the contract as it stands', () => {
    const source = new URL('../../../shared/schema-part3.graphql', import.meta.url)
    expect(existsSync(source) ? readFileSync(source, 'utf8') : part3).toBe(part3)
  })

  it.each(named)('keeps %s: %s', (name, type) => {
    expect(`${name}: ${typeAt(schema, name)}`).toBe(`${name}: ${type}`)
  })
})

function contradictions(wanted: GraphQLNamedType, found: GraphQLNamedType | undefined): string[] {
  if (!found || found.constructor.name !== wanted.constructor.name) return [`${wanted.name} is not of that kind`]
  const problems: string[] = []
  if ((isObjectType(wanted) || isInterfaceType(wanted)) && (isObjectType(found) || isInterfaceType(found))) {
    for (const each of wanted.getInterfaces()) {
      if (!found.getInterfaces().some(({ name }) => name === each.name))
        problems.push(`${wanted.name} is no ${each.name}`)
    }
    for (const field of Object.values(wanted.getFields())) {
      const other = found.getFields()[field.name]
      if (String(other?.type) !== String(field.type)) problems.push(`${wanted.name}.${field.name}: ${other?.type}`)
      problems.push(...argumentContradictions(`${wanted.name}.${field.name}`, field.args, other?.args ?? []))
    }
  }
  if (isInputObjectType(wanted) && isInputObjectType(found)) {
    if (wanted.isOneOf !== found.isOneOf) problems.push(`${wanted.name}: @oneOf`)
    for (const field of Object.values(wanted.getFields())) {
      const other = found.getFields()[field.name]
      if (String(other?.type) !== String(field.type)) problems.push(`${wanted.name}.${field.name}: ${other?.type}`)
    }
    for (const field of Object.values(found.getFields())) {
      if (!wanted.getFields()[field.name] && isRequiredInputField(field))
        problems.push(`${found.name}.${field.name} is new`)
    }
  }
  if (isEnumType(wanted) && isEnumType(found)) {
    for (const { name } of wanted.getValues()) if (!found.getValue(name)) problems.push(`${wanted.name}.${name}`)
  }
  return problems
}

function argumentContradictions(
  at: string,
  wanted: readonly GraphQLArgument[],
  found: readonly GraphQLArgument[],
): string[] {
  const missing = wanted.filter((arg) => String(found.find(({ name }) => name === arg.name)?.type) !== String(arg.type))
  const demanded = found.filter((arg) => isRequiredArgument(arg) && !wanted.some(({ name }) => name === arg.name))
  return [...missing, ...demanded].map(({ name }) => `${at}(${name})`)
}
