import type { Storage } from './storage.ts'

const storeName = 'kept'

/** Stores the state in IndexedDB. Tabs of one user share it: each may send an unsent message, and the server stores it once. */
export function indexedDbStorage(name: string): Storage {
  let opened: Promise<IDBDatabase> | undefined

  function open(): Promise<IDBDatabase> {
    opened ??= new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open(name, 1)
      request.onupgradeneeded = () => request.result.createObjectStore(storeName)
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    }).catch((error) => {
      opened = undefined
      throw error
    })
    return opened
  }

  async function transact<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => () => T): Promise<T> {
    const transaction = (await open()).transaction(storeName, mode)
    const result = work(transaction.objectStore(storeName))
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(result())
      transaction.onabort = () => reject(transaction.error)
    })
  }

  return {
    load: () =>
      transact('readonly', (store) => {
        const keys = store.getAllKeys()
        const values = store.getAll()
        return () => keys.result.map((key, i) => [String(key), values.result[i]])
      }),
    write: (changes) =>
      transact('readwrite', (store) => {
        for (const [key, value] of changes) {
          if (value === undefined) store.delete(key)
          else store.put(value, key)
        }
        return () => undefined
      }),
    async close() {
      if (opened !== undefined) (await opened).close()
      opened = undefined
    },
  }
}
