import { metadataDepthMax, metadataKeysMax, metadataMaxBytes } from './limits.ts'

// What apps put beside messages, users and conversations. It is read from JSON and kept as JSON text.

/** The text that is kept, or what is wrong with the value. */
export function metadataText(value: unknown): { text: string } | { problem: string } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: 'metadata must be a JSON object.' }
  }
  if (isBeyond(value, metadataDepthMax)) {
    return {
      problem: `metadata must be nested at most ${metadataDepthMax} levels deep, with at most ${metadataKeysMax} keys in an object.`,
    }
  }
  const text = JSON.stringify(value)
  if (new TextEncoder().encode(text).length > metadataMaxBytes) {
    return { problem: `metadata must take at most ${metadataMaxBytes} bytes as JSON.` }
  }
  return { text }
}

function isBeyond(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  const parts = Object.values(value)
  if (levels === 0 || (!Array.isArray(value) && parts.length > metadataKeysMax)) return true
  return parts.some((each) => isBeyond(each, levels - 1))
}
