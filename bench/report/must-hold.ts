import type { Measured } from '../sheet.ts'
export function printMustHold(_measured: readonly Measured[]): void {}
