// DynamoDB's expressions: comparisons, BETWEEN, attribute_exists and attribute_not_exists, joined by AND and OR; SET to a value, and
// REMOVE. Anything else throws a SyntaxError. Each text is compiled once.

/** As DynamoDB writes it: a type and what is in it, `{ N: '12' }`. */
export type Value = Readonly<Record<string, unknown>>
export type Row = Record<string, Value>
/** What the `#names` and `:values` of a text stand for. */
export type Terms = {
  ExpressionAttributeNames?: Readonly<Record<string, string>>
  ExpressionAttributeValues?: Row
}

export type Condition = (row: Row, terms: Terms) => boolean
/** Changes the row it is given. */
type Update = (row: Row, terms: Terms) => void

export const compileCondition = remembered((text): Condition => {
  const reader = readTokens(text)
  const condition = readEither(reader)
  reader.end()
  return condition
})

export const compileUpdate = remembered((text): Update => {
  const reader = readTokens(text)
  const steps: Update[] = []
  while (!reader.isAtEnd()) {
    const readStep = updates[reader.take()]
    if (!readStep) throw new SyntaxError(`Neither SET nor REMOVE: ${text}`)
    do steps.push(readStep(reader))
    while (reader.takeIf(','))
  }
  return (row, terms) => {
    for (const step of steps) step(row, terms)
  }
})

function remembered<Compiled>(compile: (text: string) => Compiled): (text: string) => Compiled {
  const known = new Map<string, Compiled>()
  return (text) => {
    const compiled = known.get(text) ?? compile(text)
    known.set(text, compiled)
    return compiled
  }
}

type Reader = ReturnType<typeof readTokens>
type Operand = (row: Row, terms: Terms) => Value | undefined
type Path = (terms: Terms) => readonly string[]

function readTokens(text: string) {
  const tokens = text.match(/[#:]?\w+|<>|<=|>=|\S/g) ?? []
  let at = 0
  const takeIf = (token: string): boolean => {
    const isNext = tokens[at] === token
    if (isNext) at += 1
    return isNext
  }
  return {
    isAtEnd: () => at === tokens.length,
    takeIf,
    take(): string {
      at += 1
      return tokens[at - 1] ?? ''
    },
    expect(token: string): void {
      if (!takeIf(token)) throw new SyntaxError(`${token} is missing in: ${text}`)
    },
    end(): void {
      if (at !== tokens.length) throw new SyntaxError(`${tokens[at]} is too much in: ${text}`)
    },
  }
}

function readEither(reader: Reader): Condition {
  const one = readBoth(reader)
  if (!reader.takeIf('OR')) return one
  const other = readEither(reader)
  return (row, terms) => one(row, terms) || other(row, terms)
}

function readBoth(reader: Reader): Condition {
  const one = readOne(reader)
  if (!reader.takeIf('AND')) return one
  const other = readBoth(reader)
  return (row, terms) => one(row, terms) && other(row, terms)
}

function readOne(reader: Reader): Condition {
  if (reader.takeIf('(')) {
    const condition = readEither(reader)
    reader.expect(')')
    return condition
  }
  const first = reader.take()
  if (first === 'attribute_exists') return readExists(reader)
  if (first === 'attribute_not_exists') {
    const exists = readExists(reader)
    return (row, terms) => !exists(row, terms)
  }
  const operand = readOperand(reader, first)
  const operator = reader.take()
  const right = readOperand(reader, reader.take())
  if (operator === 'BETWEEN') {
    reader.expect('AND')
    const end = readOperand(reader, reader.take())
    return (row, terms) => {
      const value = operand(row, terms)
      return isOrdered(right(row, terms), value) && isOrdered(value, end(row, terms))
    }
  }
  const compare = comparisons[operator]
  if (!compare) throw new SyntaxError(`No operator: ${operator}`)
  return (row, terms) => compare(operand(row, terms), right(row, terms))
}

function readExists(reader: Reader): Condition {
  reader.expect('(')
  const operand = readOperand(reader, reader.take())
  reader.expect(')')
  return (row, terms) => operand(row, terms) !== undefined
}

function readOperand(reader: Reader, first: string): Operand {
  if (first.startsWith(':')) return (_row, terms) => terms.ExpressionAttributeValues?.[first]
  const path = readPath(reader, first)
  return (row, terms) => {
    const [column = '', ...inner] = path(terms)
    return inner.reduce((value: Value | undefined, name) => entriesOf(value)?.[name], row[column])
  }
}

function readPath(reader: Reader, first: string): Path {
  const names = [first]
  while (reader.takeIf('.')) names.push(reader.take())
  return ({ ExpressionAttributeNames }) => names.map((name) => ExpressionAttributeNames?.[name] ?? name)
}

const updates: Record<string, (reader: Reader) => Update> = {
  SET(reader) {
    const path = readPath(reader, reader.take())
    reader.expect('=')
    const operand = readOperand(reader, reader.take())
    return (row, terms) => {
      const value = operand(row, terms)
      const [place, name] = placeOf(row, path(terms))
      if (value) place[name] = value
    }
  },
  REMOVE(reader) {
    const path = readPath(reader, reader.take())
    return (row, terms) => {
      const [place, name] = placeOf(row, path(terms))
      delete place[name]
    }
  },
}

/** Maps on the way are copied: others may have the row as it was. Throws where there is no such map. */
function placeOf(row: Row, path: readonly string[]): [Row, string] {
  let place = row
  for (const name of path.slice(0, -1)) {
    const inner = entriesOf(place[name])
    if (!inner) throw new RangeError('The document path provided in the update expression is invalid for update')
    const copy = { ...inner }
    place[name] = { M: copy }
    place = copy
  }
  return [place, path.at(-1) ?? '']
}

const entriesOf = (value: Value | undefined): Row | undefined => value?.M as Row | undefined

const comparisons: Record<string, (one: Value | undefined, other: Value | undefined) => boolean> = {
  '=': isEqual,
  '<>': (one, other) => !isEqual(one, other),
  '<=': isOrdered,
  '>=': (one, other) => isOrdered(other, one),
  '<': (one, other) => isOrdered(one, other) && !isEqual(one, other),
  '>': (one, other) => isOrdered(other, one) && !isEqual(one, other),
}

/** A list or a set among them is no key and is compared nowhere. */
function isEqual(one: Value | undefined, other: Value | undefined): boolean {
  if (one?.N !== undefined && other?.N !== undefined) return Number(one.N) === Number(other.N)
  return one !== undefined && one.S !== undefined && one.S === other?.S
}

/** What is missing, or of another type, is before nothing and after nothing. */
function isOrdered(one: Value | undefined, other: Value | undefined): boolean {
  if (one?.N !== undefined && other?.N !== undefined) return Number(one.N) <= Number(other.N)
  return one?.S !== undefined && other?.S !== undefined && (one.S as string) <= (other.S as string)
}
