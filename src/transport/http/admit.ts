import type { Viewer } from '../../protocol/viewer.ts'
import type { Authenticate } from '../auth/auth.ts'
import type { Admission } from '../limits/admission.ts'

/** For HTTP: says who asks, and whether they may, before the document is looked at. A WebSocket does so itself. */
export type Admit = (authorization: unknown, address: string) => Promise<Viewer | undefined>

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
