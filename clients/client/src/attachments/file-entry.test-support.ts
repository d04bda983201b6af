import type { FileEntry } from './file-state.ts'

/** A photo just taken. */
export function photo(change: Partial<FileEntry> = {}): FileEntry {
  return {
    id: 'f1',
    bucket: 'photos',
    path: 'dana/f1.jpg',
    name: 'pump.jpg',
    mediaType: 'image/jpeg',
    size: 10,
    state: 'captured',
    isPaused: false,
    isEager: false,
    bytesName: 'bytes-1',
    uploadUrl: undefined,
    sentBytes: 0,
    attempts: 0,
    doubts: 0,
    notBeforeMs: 0,
    problem: undefined,
    linkPosition: undefined,
    usedAtMs: 0,
    ...change,
  }
}
