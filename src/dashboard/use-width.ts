// How wide a part of the page is, now and after each change. It must not know what the part shows.

import { useEffect, useState } from "preact/hooks";

/** In whole pixels; 0 before the first look. */
export function useWidth(place: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!place.current) return undefined;
    const observer = new ResizeObserver(([entry]) =>
      setWidth(Math.floor(entry?.contentRect.width ?? 0)),
    );
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [place]);
  return width;
}
