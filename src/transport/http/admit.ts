import type { Viewer } from '../../protocol/viewer.ts'
import type { Authenticate } from '../auth/auth.ts'
import type { Admission } from '../limits/admission.ts'

/** Finds the viewer of an HTTP request, and checks the rate limit, before the document is read. A WebSocket does so itself. */
export type Admit = (authorization: unknown, address: string) => Promise<Viewer | undefined>

/** This is present if the request was admitted before Yoga got it, so that it is not counted twice. */
export type Admitted = { admitted?: Promise<Viewer | undefined> | undefined }

export const createAdmit =
  (authenticate: Authenticate, admission: Admission): Admit =>
  async (authorization, address) => {
    const viewer = await authenticate(authorization, address)
    const admitted = admission.admit(viewer, address)
    if (admitted !== undefined) await admitted
    return viewer
  }
