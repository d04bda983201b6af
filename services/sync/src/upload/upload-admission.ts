import { Semaphore } from '@holdfast/foundation'
import { tooManyUploads, tooManyUploadsOfUser } from './errors.ts'
import { UPLOAD_BYTES_UNDER_WAY_MAX } from './limits.ts'

export interface UploadAdmission {
  /**
   * Counts an upload from before its body is read.
   *
   * @param bytes - of its body, at most
   * @returns to be called once when it has ended
   * @throws {HoldfastError} 429 when the person has too many, 503 when all have
   */
  enter(person: string, bytes: number): () => void
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
    enter(person, bytes) {
      const endUpload = uploads.acquireNow({ key: person })
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
