// Genealogy: two threads look for the same people in two parish registers; the sound of each name is worked out anew
// for every pair that is compared.
use std::collections::HashMap;
use std::thread;

#[derive(Clone)]
struct Person {
    name: String,
    village: String,
    born: u32,
}

#[inline(never)]
fn read_register(seed: u32, many: u32) -> Vec<Person> {
    const PARTS: [&str; 8] = ["hall", "berg", "stein", "mann", "wald", "bach", "dorf", "huber"];
    (0..many)
        .map(|n| {
            let k = n.wrapping_mul(2654435761).wrapping_add(seed);
            Person {
                name: format!("{}{}", PARTS[(k >> 5) as usize % 8], PARTS[(k >> 11) as usize % 8]),
                village: format!("village {}", k % 40),
                born: 1700 + (k >> 7) % 150,
            }
        })
        .collect()
}

#[inline(never)]
fn sound_of(name: &str) -> String {
    let mut code = String::new();
    let mut last = ' ';
    for letter in name.chars() {
        let digit = match letter {
            'b' | 'f' | 'p' | 'v' => '1',
            'c' | 'g' | 'k' | 's' => '2',
            'd' | 't' => '3',
            'l' => '4',
            'm' | 'n' => '5',
            'r' => '6',
            _ => ' ',
        };
        if digit != ' ' && digit != last {
            code.push(digit);
        }
        last = digit;
    }
    code
}

#[inline(never)]
fn years_apart(a: &Person, b: &Person) -> u32 {
    a.born.abs_diff(b.born)
}

#[inline(never)]
fn same_person(a: &Person, b: &Person) -> bool {
    sound_of(&a.name) == sound_of(&b.name) && years_apart(a, b) < 3 && a.village == b.village
}

#[inline(never)]
fn match_registers(left: &[Person], right: &[Person]) -> usize {
    let mut found = 0;
    for a in left {
        for b in right {
            if same_person(a, b) {
                found += 1;
            }
        }
    }
    found
}

#[inline(never)]
fn count_villages(people: &[Person]) -> usize {
    let mut seen: HashMap<String, u32> = HashMap::new();
    for _ in 0..1200 {
        for one in people {
            *seen.entry(one.village.clone()).or_insert(0) += 1;
        }
    }
    seen.len()
}

fn main() {
    let (left, right) = (read_register(7, 3200), read_register(11, 2600));
    let other = right.clone();
    let matcher = thread::Builder::new().name("matcher".into()).spawn(move || match_registers(&left, &right)).unwrap();
    let counter = thread::Builder::new().name("counter".into()).spawn(move || count_villages(&other)).unwrap();
    println!("{} {}", matcher.join().unwrap(), counter.join().unwrap());
}
