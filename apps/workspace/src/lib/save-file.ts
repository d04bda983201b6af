/** Downloads a text as a file. */
export function saveFile(name: string, text: string, type: string): void {
  saveBlob(name, new Blob([text], { type }))
}

/** {@link saveFile} for bytes. */
export function saveBlob(name: string, bytes: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(bytes)
  link.download = name.replaceAll(':', '')
  link.click()
  URL.revokeObjectURL(link.href)
}
