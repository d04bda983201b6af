import { tooManyUploads, tooManyUploadsOfPerson } from './errors.ts'
import { UPLOAD_BYTES_UNDER_WAY_MAX } from './limits.ts'

export interface UploadsUnderWay {
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

export function createUploadsUnderWay(limits: {
  readonly perPersonMax: number
  readonly uploadsMax: number
}): UploadsUnderWay {
  const ofPerson = new Map<string, number>()
  let size = 0
  let bytesUnderWay = 0
  return {
    get size() {
      return size
    },
    enter(person, bytes) {
      const own = ofPerson.get(person) ?? 0
      if (own >= limits.perPersonMax) throw tooManyUploadsOfPerson(limits.perPersonMax)
      if (size >= limits.uploadsMax || bytesUnderWay + bytes > UPLOAD_BYTES_UNDER_WAY_MAX) throw tooManyUploads()
      ofPerson.set(person, own + 1)
      size++
      bytesUnderWay += bytes
      return () => {
        const left = (ofPerson.get(person) ?? 1) - 1
        if (left === 0) ofPerson.delete(person)
        else ofPerson.set(person, left)
        size--
        bytesUnderWay -= bytes
      }
    },
  }
}
