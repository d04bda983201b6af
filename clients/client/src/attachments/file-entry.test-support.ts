import { NO_TRANSFER, type FileEntry } from './file-state.ts'

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
    isEager: false,
    bytesName: 'bytes-1',
    ...NO_TRANSFER,
    usedAtMs: 0,
    ...change,
  }
}
