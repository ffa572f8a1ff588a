import { crc32, deflateSync } from 'node:zlib'

/** A PNG that every browser can read: a sky over a meadow, with a sun. */
export function picture(width: number, height: number): Buffer {
  const rows: number[] = []
  for (let y = 0; y < height; y += 1) {
    // No filter.
    rows.push(0)
    for (let x = 0; x < width; x += 1) rows.push(...colourAt(x / width, y / height, width / height))
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits each of red, green and blue.
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.from(rows))), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([signature, ...chunks])
}

function colourAt(x: number, y: number, ratio: number): [number, number, number] {
  if (Math.hypot((x - 0.75) * ratio, y - 0.28) < 0.12) return [250, 214, 120]
  if (y > 0.7 + 0.06 * Math.sin(x * 7)) return [94, 140 + Math.round(60 * (1 - y)), 84]
  return [150 + Math.round(70 * y), 200 + Math.round(30 * y), 236]
}

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), content])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
