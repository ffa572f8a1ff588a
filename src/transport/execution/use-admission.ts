import type { Plugin } from 'graphql-yoga'
import type { Viewer } from '../../protocol/viewer.ts'
import type { Authenticate } from '../auth/auth.ts'
import type { Admission } from '../limits/admission.ts'
import type { OperationContext } from './executor.ts'

/** For HTTP: says who asks, and whether they may, before the document is looked at. A WebSocket does so itself. */
type Admit = (authorization: unknown, address: string) => Promise<Viewer | undefined>

/** Present where somebody has asked before Yoga did: nothing is counted twice. */
export type Admitted = { admitted?: Promise<Viewer | undefined> | undefined }

export const createAdmit =
  (authenticate: Authenticate, admission: Admission): Admit =>
  async (authorization, address) => {
    const viewer = await authenticate(authorization, address)
    const admitted = admission.admit(viewer, address)
    if (admitted !== undefined) await admitted
    return viewer
  }

export const useAdmission = (admit: Admit): Plugin<object, OperationContext & Admitted> => ({
  async onParams({ request, context }) {
    const viewer = await (context.admitted ?? admit(request.headers.get('authorization'), context.address ?? ''))
    Object.assign(context, { viewer })
  },
})
