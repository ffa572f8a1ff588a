// The size of an item as DynamoDB counts it: names and values in UTF-8, a number by its digits, and a little for each list and map.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html

/** An attribute as the wire has it, of the types that the stores write. */
export type Attribute = { S?: string; N?: string; BOOL?: boolean; NULL?: boolean; L?: Attribute[]; M?: WireItem }
export type WireItem = Readonly<Record<string, Attribute>>

/** Storage is billed with so many bytes more for each item. Capacity is counted without them. */
const billedOverhead = 100
const nested = 3
const perElement = 1

/** Returns the bytes for which storage is billed. */
export const billedBytes = (item: WireItem): number => itemBytes(item) + billedOverhead

export const itemBytes = (item: WireItem): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + attributeBytes(value), 0)

function attributeBytes({ S, N, L, M }: Attribute): number {
  if (S !== undefined) return Buffer.byteLength(S)
  if (N !== undefined) return numberBytes(N)
  if (L !== undefined) return L.reduce((sum, each) => sum + perElement + attributeBytes(each), nested)
  if (M !== undefined) return nested + itemBytes(M) + perElement * Object.keys(M).length
  return 1
}

/** A byte for two significant digits, and one more; the sign takes one. */
function numberBytes(text: string): number {
  const digits = text.replace(/[-.]/g, '').replace(/^0+/, '').replace(/0+$/, '')
  return Math.ceil(digits.length / 2) + 1 + (text.startsWith('-') ? 1 : 0)
}
