import { FILE_BYTES_MAX } from './file-limits.ts'
import { FileProblem, type OpenedFile, type ReadAs } from './opened-file.ts'
import { openText } from './open-text.ts'

/** `EncryptedPackage` in UTF-16: the part of a file with a password that has its contents. */
const ENCRYPTED = Array.from('EncryptedPackage', (letter) => `${letter}\0`).join('')
/** Bytes at the end of a file with a password in which its parts are listed, and at its beginning. */
const LISTED = 64 * 1024

/**
 * Opens a CSV (or other delimited text) or a sheet of an XLSX.
 *
 * @throws {FileProblem}, also while reading rows
 */
export async function openFile(bytes: Uint8Array, readAs: ReadAs = {}): Promise<OpenedFile> {
  if (bytes.length > FILE_BYTES_MAX) throw new FileProblem('too_large')
  if (startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0])) throw new FileProblem(isEncrypted(bytes) ? 'password' : 'old_excel')
  if (startsWith(bytes, [0x50, 0x4b, 0x03, 0x04])) {
    const { openXlsx } = await import('./open-xlsx.ts')
    return openXlsx(bytes, readAs)
  }
  // Some programs save a web page as `.xls`.
  if (/^\s*<(?:!doctype|html|table|\?xml|head|meta)\b/i.test(new TextDecoder().decode(bytes.subarray(0, 512))))
    throw new FileProblem('web_page')
  return openText(bytes, readAs)
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, index) => bytes[index] === byte)
}

function isEncrypted(bytes: Uint8Array): boolean {
  const latin = new TextDecoder('latin1')
  return [bytes.subarray(0, LISTED), bytes.subarray(-LISTED)].some((part) => latin.decode(part).includes(ENCRYPTED))
}
