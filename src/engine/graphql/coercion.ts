const variableRule = /^Variable "\$(\w+)" /
const pathRule = / at "\w+((?:\.\w+|\[\d+\])+)"; /
const objectFieldRule = /; Field "(\w+)" (?:of required type|is not defined by type)/
const argumentRule = /^Argument "(\w+)" /

/**
 * Returns which input graphql-js complains about, read from its message, the only place where it says so: the dotted path inside
 * an input object, or the name of the variable or argument. Undefined if the message is about something else.
 */
export function coercionField(message: string): string | undefined {
  const [, variable] = variableRule.exec(message) ?? []
  if (variable === undefined) return argumentRule.exec(message)?.[1]
  const path = (pathRule.exec(message)?.[1] ?? '').replace(/\[(\d+)\]/g, '.$1')
  const [, objectField] = objectFieldRule.exec(message) ?? []
  const inside = [...path.split('.').slice(1), ...(objectField === undefined ? [] : [objectField])]
  const isObject = inside.length > 0 && !/^\d+$/.test(inside[0] ?? '')
  return (isObject ? inside : [variable, ...inside]).join('.')
}
