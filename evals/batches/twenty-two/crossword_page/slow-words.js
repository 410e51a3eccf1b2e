window.words = Array.from({ length: 1200 }, (_, n) => 'ABCDEFGHIKLMNOPRSTUVW'[n % 21].repeat(2 + (n % 9)) + n.toString(36).toUpperCase());
