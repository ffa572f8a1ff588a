import type { Routes } from '../transport/http/http.ts'
import { builtDirectories, findBuiltPage } from './built-page.ts'
import { withWarning } from './warning.ts'

/** Returns the routes of the demo page. Only development mode serves it. */
export const findDemo = (directories = builtDirectories('demo'), warning?: string): Promise<Routes> =>
  findBuiltPage({ directories, path: '/', complete: withWarning(warning) })
