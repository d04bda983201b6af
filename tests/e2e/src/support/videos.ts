import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'

/** A video that a browser has recorded, made as large as one of a phone. */
export interface FilmedVideo extends Disposable {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
}

/** Records a drawing that moves for three seconds, and adds an element that players skip until the file has so many bytes. */
export async function filmVideo(page: Page, bytes: number): Promise<FilmedVideo> {
  const film = Buffer.from(await recordDrawing(page), 'base64')
  const whole = Buffer.concat([film, voidElement(bytes - film.length)])
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-video-'))
  const path = join(folder, 'VID_0007.webm')
  writeFileSync(path, whole)
  // Photos stand in the order in which they were taken, those of the journey when they are chosen.
  const later = new Date(Date.now() + 3_600_000)
  utimesSync(path, later, later)
  return {
    path,
    bytes: whole.length,
    sha256: sha256Of(whole),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  }
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** The SHA-256 of a file in the browser's own file system that has so many bytes. */
export async function sha256OnDevice(page: Page, bytes: number): Promise<string | undefined> {
  return page.evaluate(async (size) => {
    const open = [await navigator.storage.getDirectory()]
    for (let folder = open.pop(); folder; folder = open.pop()) {
      for await (const handle of folder.values()) {
        if (handle.kind === 'directory') {
          open.push(handle as FileSystemDirectoryHandle)
          continue
        }
        const file = await (handle as FileSystemFileHandle).getFile().catch(() => undefined)
        if (file?.size !== size) continue
        const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer())
        return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
      }
    }
    return undefined
  }, bytes)
}

async function recordDrawing(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const canvas = document.createElement('canvas')
    canvas.width = 640
    canvas.height = 360
    const context = canvas.getContext('2d')
    if (!context) throw new Error('no canvas')
    const recorder = new MediaRecorder(canvas.captureStream(15), { mimeType: 'video/webm;codecs=vp8' })
    const pieces: Blob[] = []
    recorder.addEventListener('dataavailable', ({ data }) => pieces.push(data))
    const ended = new Promise((resolve) => recorder.addEventListener('stop', resolve, { once: true }))
    recorder.start()
    for (let frame = 0; frame < 45; frame++) {
      context.fillStyle = '#2b6f8f'
      context.fillRect(0, 0, 640, 360)
      context.fillStyle = '#d8c9a8'
      context.fillRect(0, 240, 640, 120)
      context.fillStyle = '#b3402e'
      context.fillRect(200 + frame * 4, 120, 90, 140)
      await new Promise((resolve) => setTimeout(resolve, 66))
    }
    recorder.stop()
    await ended
    const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer())
    let text = ''
    for (let start = 0; start < bytes.length; start += 8_192)
      text += String.fromCharCode(...bytes.subarray(start, start + 8_192))
    return btoa(text)
  })
}

/** EBML's Void of so many bytes with its head: noise, so that no part of the file is like another. */
function voidElement(bytes: number): Buffer {
  const element = Buffer.alloc(bytes)
  for (let at = 9, noise = 1; at < bytes; at++) {
    noise = (Math.imul(noise, 1_103_515_245) + 12_345) >>> 0
    element[at] = noise >>> 24
  }
  element[0] = 0xec
  element.writeBigUInt64BE((1n << 56n) | BigInt(bytes - 9), 1)
  return element
}
