import { Semaphore } from '@holdfast/foundation'
import { tooManyUploads, tooManyUploadsOfUser } from './errors.ts'
import { UPLOAD_BYTES_UNDER_WAY_MAX } from './limits.ts'

export interface UploadAdmission {
  /**
   * Admits an upload before its body is read.
   *
   * @param bytes - maximum size of its body
   * @returns to be called once when the upload ends
   * @throws {HoldfastError} 429 if the user has too many uploads in progress, 503 if the server has
   */
  enter(userId: string, bytes: number): () => void
  readonly size: number
}

export function createUploadAdmission(limits: {
  readonly perPersonMax: number
  readonly uploadsMax: number
}): UploadAdmission {
  const uploads = new Semaphore({
    permits: limits.uploadsMax,
    perKeyMax: limits.perPersonMax,
    refuse: (reason) => (reason === 'key' ? tooManyUploadsOfUser(limits.perPersonMax) : tooManyUploads()),
  })
  const bodies = new Semaphore({ permits: UPLOAD_BYTES_UNDER_WAY_MAX })
  return {
    get size() {
      return uploads.usage().held
    },
    enter(userId, bytes) {
      const endUpload = uploads.acquireNow({ key: userId })
      const freeBody = bodies.tryAcquire({}, bytes)
      if (freeBody)
        return () => {
          endUpload()
          freeBody()
        }
      endUpload()
      throw tooManyUploads()
    },
  }
}
