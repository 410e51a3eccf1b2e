// Stands for a tag of a third party, served from tags.example.net.
function fingerprintDevice(rounds) {
  let hash = 2166136261;
  const words = [navigator.userAgent, screen.width, screen.height, navigator.language].join('|');
  for (let n = 0; n < rounds; n++) {
    for (let i = 0; i < words.length; i++) hash = Math.imul(hash ^ words.charCodeAt(i), 16777619);
  }
  return hash >>> 0;
}

function sendTag(hash) {
  document.documentElement.dataset.tag = String(hash);
}

sendTag(fingerprintDevice(900000));
